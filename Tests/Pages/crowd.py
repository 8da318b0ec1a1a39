"""Two hundred who send and take as slowly as they can, and what the server's memory does meanwhile."""

import http.client
import socket
import urllib.parse

ROUNDS = 6


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def slow(address, number, request):
    """A connection from an address of its own, which sends what it is told and then takes nothing."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.bind((f"127.0.1.{number}", 0))
    connection.connect(address)
    try:
        connection.sendall(request.encode())
    except OSError:
        pass  # The server has more than enough of them.
    return connection


def answered(url, token):
    asked = http.client.HTTPConnection(url.hostname, url.port, timeout=30, source_address=("127.0.2.1", 0))
    asked.request("GET", "/", headers={"Authorization": f"Bearer {token}"})
    answer = asked.getresponse()
    answer.read()
    return answer.status


def crowd(address, pid, token):
    """The statuses of one who is in no crowd, and by how many kB the memory has grown since the first round."""
    url = urllib.parse.urlsplit(address)
    head = f"Host: {url.netloc}\r\nAuthorization: Bearer {token}\r\n"
    requests = (
        f"GET / HTTP/1.1\r\n{head}",
        f"GET / HTTP/1.1\r\n{head}\r\n",
        f"POST /act HTTP/1.1\r\n{head}Sec-Fetch-Site: same-origin\r\nContent-Length: 4000\r\n\r\nact=run&why=" + "x" * 1000,
        f"POST /sign-in HTTP/1.1\r\nHost: {url.netloc}\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 9\r\n\r\nto",
    )
    statuses, sizes = set(), []
    for _ in range(ROUNDS):
        connections = [slow((url.hostname, url.port), number + 1, requests[number % 4]) for number in range(200)]
        statuses.add(answered(url, token))
        sizes.append(resident(pid))
        for connection in connections:
            connection.close()
    return statuses, max(sizes[1:]) - sizes[0]
