"""ZooKeeper's protocol, as much of it as it takes to ask a server for its state and to end somebody else's session."""

import re
import socket
import struct

_CLOSE_SESSION = -11


def four_letters(port, word, timeout=5):
    """What the server at 127.0.0.1:port answers to a four-letter word; empty when it does not."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout) as connection:
            connection.settimeout(timeout)
            connection.sendall(word.encode())
            answer = b""
            while data := connection.recv(65536):
                answer += data
            return answer.decode()
    except OSError:
        return ""


def close_session(port, session):
    """Takes over a session, by its number, and closes it. Returns False when the server does not know the session. Its
    client, whose connection ends by this, may be quick enough to take it back: look whether it is gone."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.settimeout(10)
        password = session_password(session)
        # Protocol version, last zxid seen, time-out in ms, session, password, whether read-only will do.
        take_over = struct.pack(">iqiqi16s?", 0, 0, 10_000, session, len(password), password, False)
        connection.sendall(_framed(take_over) + _framed(struct.pack(">ii", 1, _CLOSE_SESSION)))
        answer = _receive_all(connection)
        # After the length of the frame: protocol version, time-out, session; all zero for an unknown session.
        return len(answer) < 20 or struct.unpack(">q", answer[12:20])[0] == session


def session_password(session):
    """The password that a server gives out with a session: made from the session's number alone."""
    return java_random_bytes(session ^ 0xB3415C00, 16)


def java_random_bytes(seed, count):
    """What java.util.Random(seed).nextBytes() yields: 32 of 48 bits of a linear congruence, low byte first."""
    multiplier, mask = 0x5DEECE66D, (1 << 48) - 1
    state = (seed ^ multiplier) & mask
    data = b""
    while len(data) < count:
        state = (state * multiplier + 0xB) & mask
        data += struct.pack("<I", state >> 16)
    return data[:count]


def sessions_in(text):
    """The numbers of sessions in the answer to `dump` or `cons`, signed as clients see them."""
    return {_signed(int(digits, 16)) for digits in re.findall(r"(?:^\s*|sid=)0x([0-9a-f]+)", text, re.MULTILINE)}


def _signed(number):
    return number - (1 << 64) if number >> 63 else number


def _framed(body):
    return struct.pack(">i", len(body)) + body


def _receive_all(connection):
    data = b""
    try:
        while more := connection.recv(4096):
            data += more
    except ConnectionResetError:
        pass
    return data
