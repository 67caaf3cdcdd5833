"""The app of another house: Debian's python3-websockets, which gives back each
message. Says its port, and ends with its standard input."""
import asyncio
import sys

import websockets


async def give_back(websocket):
    try:
        async for message in websocket:
            await websocket.send(message)
    except websockets.ConnectionClosedError:
        pass


async def main():
    server = await websockets.serve(
        give_back, "127.0.0.1", 0, max_size=64 << 20, ping_interval=None,
        compression="deflate")
    print(server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
