// One entry of the list in embedded.c: the file that FILE names. It is included once for each file.
#pragma clang diagnostic ignored "-Wc23-extensions"  // #embed, which clang knows in every standard
{FILE, (const unsigned char[]){
#embed FILE
}, sizeof((const unsigned char[]){
#embed FILE
})},
#undef FILE
