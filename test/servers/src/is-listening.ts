/** Whether something listens on a port of this machine. */
import { once } from 'node:events';
import { connect } from 'node:net';

export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
