import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { closeLostConnections } from '../src/srv/lost-connections.js';
import type { Worker } from 'node:cluster';

/** A worker's process as the first process of a cluster sees it. */
class FakeProcess extends EventEmitter {
  readonly sent: unknown[] = [];
  /** As the runtime: none while a connection is not acknowledged. */
  emitsDisconnect = true;

  disconnect(): void {
    if (this.emitsDisconnect) process.nextTick(() => this.emit('disconnect'));
  }

  send(message: unknown): boolean {
    this.sent.push(message);
    return true;
  }
}

/** A connection that was accepted. */
class Connection {
  isClosed = false;

  close(): void {
    this.isClosed = true;
  }
}

function watched(): { readonly worker: FakeProcess; readonly hand: (seq: number) => Connection } {
  const worker = new FakeProcess();
  closeLostConnections({ process: worker } as unknown as Worker);
  const hand = (seq: number): Connection => {
    const connection = new Connection();
    Reflect.apply(worker.send, worker, [{ cmd: 'NODE_CLUSTER', act: 'newconn', seq }, connection]);
    return connection;
  };
  return { worker, hand };
}

describe('connections on their way to a worker that is killed', () => {
  it('are closed unless the worker has taken them', () => {
    const { worker, hand } = watched();
    const [taken, lost] = [hand(1), hand(2)];
    worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: 1, accepted: true });
    worker.emit('exit', null, 'SIGKILL');
    assert.deepEqual([taken.isClosed, lost.isClosed], [false, true]);
  });

  it('are closed when they are handed over before the end of the channel is seen', () => {
    const { worker, hand } = watched();
    worker.emit('exit', null, 'SIGKILL');
    assert.ok(hand(1).isClosed);
    assert.deepEqual(worker.sent, []);
  });

  for (const emitsDisconnect of [true, false])
    it(`come to no worker whose channel has ended, ${emitsDisconnect ? 'with' : 'without'} a word of the runtime`, async () => {
      const { worker } = watched();
      worker.emitsDisconnect = emitsDisconnect;
      let count = 0;
      worker.on('disconnect', () => count++);
      worker.disconnect();
      assert.equal(count, 0);
      await new Promise(process.nextTick);
      assert.equal(count, 1);
    });

  it('leave other messages as they are', () => {
    const { worker } = watched();
    worker.send({ kind: 'asked' });
    assert.deepEqual(worker.sent, [{ kind: 'asked' }]);
  });
});
