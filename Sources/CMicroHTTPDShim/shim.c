#include "CMicroHTTPDShim.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

// More than anybody has a reason for, and few enough for the memory that a connection has.
enum { PARAMETERS_MAX = 50 };

static struct sockaddr_in ipv4(uint32_t address, uint16_t port) {
    struct sockaddr_in where;
    memset(&where, 0, sizeof where);
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    where.sin_addr.s_addr = address;
    return where;
}

struct MHD_Daemon *mhd_shim_start(uint32_t address, uint16_t port, unsigned int connections_max,
                                  MHD_AccessHandlerCallback handler,
                                  MHD_RequestCompletedCallback completed, void *context) {
    struct sockaddr_in where = ipv4(address, port);
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL, handler, context,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&where,
        MHD_OPTION_CONNECTION_LIMIT, connections_max,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, 4096u,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_END);
}

static char too_many;

void *mhd_shim_too_many_parameters(void) { return &too_many; }

// Called before the parameters are read, with the text that they are read from.
static void *look_at_uri(void *context, const char *uri, struct MHD_Connection *connection) {
    (void)context;
    (void)connection;
    char *query = strchr((char *)uri, '?');
    if (query == NULL) return NULL;
    unsigned int count = 1;
    for (char *c = query; *c != 0; c++)
        if (*c == '&') count++;
    if (count <= PARAMETERS_MAX) return NULL;
    query[1] = 0;
    return &too_many;
}

struct MHD_Daemon *mhd_shim_start_server(uint32_t address, uint16_t port,
                                         unsigned int connections_max,
                                         unsigned int of_one_address_max, unsigned int silence_max,
                                         size_t head_max, MHD_AccessHandlerCallback handler,
                                         MHD_RequestCompletedCallback completed,
                                         MHD_NotifyConnectionCallback connected, void *context) {
    struct sockaddr_in where = ipv4(address, port);
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL, handler, context,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&where,
        MHD_OPTION_CONNECTION_LIMIT, connections_max,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, of_one_address_max,
        MHD_OPTION_CONNECTION_TIMEOUT, silence_max,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, head_max,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_URI_LOG_CALLBACK, look_at_uri, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, connected, context,
        MHD_OPTION_END);
}

uint16_t mhd_shim_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info == NULL ? 0 : info->port;
}

int mhd_shim_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

static uint32_t address_of(const struct sockaddr *address) {
    if (address == NULL || address->sa_family != AF_INET) return 0;
    return ((const struct sockaddr_in *)address)->sin_addr.s_addr;
}

uint32_t mhd_shim_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? 0 : address_of(info->client_addr);
}

uint32_t mhd_shim_own(struct MHD_Connection *connection) {
    struct sockaddr_in own;
    socklen_t length = sizeof own;
    int is_known = getsockname(mhd_shim_socket(connection), (struct sockaddr *)&own, &length) == 0;
    return is_known ? address_of((struct sockaddr *)&own) : 0;
}
