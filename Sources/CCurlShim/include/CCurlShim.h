#pragma once
#include <curl/curl.h>

// libcurl's variadic functions, one fixed signature per kind of argument.

CURLcode jr_setopt_long(CURL *easy, CURLoption option, long value);
CURLcode jr_setopt_size(CURL *easy, CURLoption option, curl_off_t value);
CURLcode jr_setopt_pointer(CURL *easy, CURLoption option, const void *value);
CURLcode jr_setopt_string(CURL *easy, CURLoption option, const char *value);

CURLcode jr_set_write(CURL *easy, curl_write_callback callback, void *context);
CURLcode jr_set_header(CURL *easy, curl_write_callback callback, void *context);
CURLcode jr_set_open_socket(CURL *easy, curl_opensocket_callback callback, void *context);
CURLcode jr_set_before_request(CURL *easy, curl_prereq_callback callback, void *context);

// A reading libcurl can't give is 0.
long jr_getinfo_long(CURL *easy, CURLINFO info);
curl_off_t jr_getinfo_size(CURL *easy, CURLINFO info);

CURLMcode jr_multi_setopt_long(CURLM *multi, CURLMoption option, long value);
