/**
 * Loaded into the Azurite process before Azurite. Azurite writes its tables to disk every few seconds only, so killing it
 * would lose what it acknowledged. Here `stop` on standard input breaks all connections at once, as a crash does, and then
 * lets it write; the end of standard input (its parent has ended) ends the process and removes its folder.
 */
import { subscribe } from 'node:diagnostics_channel';
import { rmSync } from 'node:fs';
import { keptAlive } from './keep-alive.js';
import type { Server, Socket } from 'node:net';

const folder = process.env['AZURITE_FOLDER'] ?? '';
const sockets = new Set<Socket>();
const servers = new Set<Server>();

subscribe('net.server.socket', message => {
  const { socket } = message as { socket: Socket & { server?: Server } };
  sockets.add(socket);
  if (socket.server) servers.add(Object.assign(socket.server, keptAlive));
  socket.on('close', () => sockets.delete(socket));
});

process.stdin.on('data', () => {
  for (const server of servers) server.close();
  for (const socket of sockets) socket.resetAndDestroy();
  process.emit('SIGINT');
  // Azurite's own shutdown waits for its tables to be written, then nothing keeps the process alive but this stream.
  process.stdin.unref();
});
process.stdin.on('end', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
