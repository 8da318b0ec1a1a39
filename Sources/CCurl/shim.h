#include <curl/curl.h>
#include <zlib.h>
