/** Hashes passwords in a separate thread: one takes tens of milliseconds, on purpose. */
import { parentPort } from 'node:worker_threads';
import { compareSync, hashSync } from 'bcryptjs';
import type { PasswordQuestion } from './passwords.js';

parentPort?.on('message', (question: PasswordQuestion) => {
  const { id, password, hash, cost } = question;
  const answer = hash === undefined ? hashSync(password, cost) : compareSync(password, hash);
  parentPort?.postMessage({ id, answer });
});
