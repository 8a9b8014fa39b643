/** Does what a request asks for, in the database of this process. */
import type { LocalKvStore } from '../store.js';
import type { Question, Reply } from './messages.js';

export async function replyLater(store: LocalKvStore, question: Question, signal?: AbortSignal): Promise<Reply> {
  const { partition } = question;
  switch (question.kind) {
    case 'get':
      return { kind: 'value', value: (await store.get(partition, question.key, signal))?.value };
    case 'set':
      await store.set(partition, question.key, question.value, signal);
      return { kind: 'written', written: true };
    case 'setIf':
      return { kind: 'written', written: await store.setIf(partition, question.key, question.value, question.condition, signal) };
    case 'delete':
      await store.delete(partition, question.key, signal);
      return { kind: 'written', written: true };
    case 'page':
      return { kind: 'page', page: await store.page(partition, question.start, question.size) };
  }
}
