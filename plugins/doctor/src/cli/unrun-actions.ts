/** Finds repositories whose action files a server does not run: what their authors rely on is not checked. */
import { messageOf } from '@srv/kernel';
import { everything, isAnswerError } from '@srv/lib-commands';
import type { Client } from '@srv/lib-operations/client';
import type {} from '@srv/lib-engine-operations';

const folders = ['_srv_actions/', '_lakefs_actions/'];
/** Repositories looked at; a diagnosis must end. */
const most = 200;

/** A sentence for each, in order of their names. */
export async function unrunActions(api: Client): Promise<string[]> {
  const { capabilities_config: capabilities } = await api.getConfig({});
  if (capabilities?.actions !== false) return [];
  const found: { readonly repository: string; readonly sentence: string }[] = [];
  for await (const { id: repository, default_branch: ref } of limited(api)) {
    const path = await actionFile(api, repository, ref);
    if (path === undefined) continue;
    const sentence = `Repository ${repository} has action files (${path} on ${ref}), and this server runs none: operations they would stop succeed.`;
    found.push({ repository, sentence });
  }
  return found.sort((a, b) => (a.repository < b.repository ? -1 : 1)).map(({ sentence }) => sentence);
}

async function* limited(api: Client) {
  let count = 0;
  for await (const repository of everything(page => api.listRepositories(page))) {
    if (count++ === most) return;
    yield repository;
  }
}

/** @returns `undefined` also where it cannot be seen: bare repositories, and those the user may not list. */
async function actionFile(api: Client, repository: string, ref: string): Promise<string | undefined> {
  for (const prefix of folders) {
    try {
      const { results } = await api.listObjects({ repository, ref, prefix, after: prefix, amount: 1 });
      if (results[0]) return results[0].path;
    } catch (error) {
      if (!isRefusal(error)) throw new Error(`cannot look for action files in ${repository}: ${messageOf(error)}`, { cause: error });
    }
  }
  return undefined;
}

function isRefusal(error: unknown): boolean {
  return isAnswerError(error, 400, 401, 403, 404);
}
