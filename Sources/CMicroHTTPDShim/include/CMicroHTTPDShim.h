#pragma once
#include <microhttpd.h>
#include <stdint.h>

// What Swift can't call: libmicrohttpd's variadic functions.

// Starts a daemon with one epoll thread on an IPv4 address in network byte order, or NULL.
struct MHD_Daemon *mhd_shim_start(uint32_t address, uint16_t port, unsigned int connections_max,
                                  MHD_AccessHandlerCallback handler,
                                  MHD_RequestCompletedCallback completed, void *context);

// Starts a daemon for the world outside, or NULL: strict with clients, with a limit in seconds for one that is silent and
// in bytes for the head of a request with what reading it takes. The handler is given `mhd_shim_too_many_parameters()`
// for a request that has too many of them to be read, without which the client would wait in vain. `connected` is told
// when a connection begins, and before its socket is closed.
struct MHD_Daemon *mhd_shim_start_server(uint32_t address, uint16_t port,
                                         unsigned int connections_max,
                                         unsigned int of_one_address_max, unsigned int silence_max,
                                         size_t head_max, MHD_AccessHandlerCallback handler,
                                         MHD_RequestCompletedCallback completed,
                                         MHD_NotifyConnectionCallback connected, void *context);

// The port the daemon listens on, 0 when unknown.
uint16_t mhd_shim_port(struct MHD_Daemon *daemon);

// The connection's socket, -1 when unknown.
int mhd_shim_socket(struct MHD_Connection *connection);

// Stands for a request whose parameters were not read.
void *mhd_shim_too_many_parameters(void);

// The IPv4 address that a connection comes from, in network byte order; 0 when unknown.
uint32_t mhd_shim_peer(struct MHD_Connection *connection);

// The IPv4 address that a connection came to, in network byte order; 0 when unknown.
uint32_t mhd_shim_own(struct MHD_Connection *connection);
