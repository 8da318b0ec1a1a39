/// The text of sql/, embedded at compile time: one entry per file, in the order in which they are applied.
#pragma once
#include <stddef.h>

/// One SQL file. `text` is not terminated; it holds `length` bytes of UTF-8.
typedef struct {
    const char *path;
    const unsigned char *text;
    size_t length;
} jr_sql_file;

/// Number of files.
size_t jr_sql_file_count(void);

/// The file of an index below `jr_sql_file_count()`; NULL above.
const jr_sql_file *jr_sql_file_at(size_t index);
