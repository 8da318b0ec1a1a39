#include "CMicroHTTPDShim.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

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

struct MHD_Daemon *mhd_shim_start_server(uint32_t address, uint16_t port,
                                         unsigned int connections_max, unsigned int silence_max,
                                         size_t head_max, MHD_AccessHandlerCallback handler,
                                         MHD_RequestCompletedCallback completed,
                                         MHD_NotifyConnectionCallback connected, void *context) {
    struct sockaddr_in where = ipv4(address, port);
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL, handler, context,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&where,
        MHD_OPTION_CONNECTION_LIMIT, connections_max,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, connections_max / 4 + 1,
        MHD_OPTION_CONNECTION_TIMEOUT, silence_max,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, head_max,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
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
