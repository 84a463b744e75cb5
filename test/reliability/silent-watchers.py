"""Opens event streams and reads only their headers. Prints a line when all are open, and ends with its input.

The small buffers and segments keep the kernel from accepting more than a few kilobytes for each stream. With its
defaults, the kernel would accept megabytes, and the service would never have to wait for a client.
"""

import socket
import sys

host, port, path, token, count = sys.argv[1:]
streams = []
for _ in range(int(count)):
    stream = socket.socket()
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    stream.connect((host, int(port)))
    stream.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        part = stream.recv(64)
        if not part:
            sys.exit(f"The service closed a stream: {head!r}")
        head += part
    if not head.startswith(b"HTTP/1.1 200"):
        sys.exit(head.decode())
    streams.append(stream)
print("open", flush=True)
sys.stdin.read()
