/** `srv setup` and `srv superuser`: administrators made on the server's own machine, while no server runs on its database. */
import { messageOf } from '@srv/kernel';
import type { Kernel } from '@srv/kernel';
import type { SrvFlags } from './main.js';
import { quietLog, serverKernel } from './server-kernel.js';

export interface AdministratorFlags extends SrvFlags {
  readonly userName: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  /** False with `--no-check`: an installation that is set up gets one more administrator. */
  readonly check?: boolean;
}

interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What these commands need of the service `auth`, whichever plugin provides it. */
interface Administration {
  readonly mode: string;
  setupState(): Promise<{ readonly initialized: boolean }>;
  setup(request: { readonly username: string; readonly key?: AccessKey }): Promise<AccessKey>;
  createAdministrator(username: string, key?: AccessKey): Promise<AccessKey>;
  promoteOwner(username: string, accessKeyId: string): Promise<void>;
}

/** Text for standard output, and the exit code: scripts read both. */
export interface Outcome {
  readonly text: string;
  readonly exitCode: number;
}

const failed = (text: string): Outcome => ({ text, exitCode: 1 });

/** Makes the first administrator. */
export function setup(flags: AdministratorFlags): Promise<Outcome> {
  return withAdministration(flags, 'Setup failed', async (auth, username, key) => {
    const { initialized } = await auth.setupState();
    if (initialized && flags.check !== false) return failed('Setup is already complete.');
    return credentials(await (initialized ? auth.createAdministrator(username, key) : auth.setup({ username, ...(key ? { key } : {}) })));
  });
}

/** Makes another administrator; with the ID of an access key alone, of the user who has that key already. */
export function superuser(flags: AdministratorFlags): Promise<Outcome> {
  const complaint = 'Failed to setup admin user';
  const { accessKeyId, secretAccessKey, ...others } = flags;
  if (accessKeyId === undefined || secretAccessKey !== undefined)
    return withAdministration(flags, complaint, async (auth, username, key) => credentials(await auth.createAdministrator(username, key)));
  return withAdministration(others, complaint, async (auth, username) => {
    await auth.promoteOwner(username, accessKeyId);
    return { text: `${username} is an administrator with the access key ${accessKeyId}.`, exitCode: 0 };
  });
}

async function withAdministration(
  flags: AdministratorFlags,
  complaint: string,
  work: (auth: Administration, username: string, key: AccessKey | undefined) => Promise<Outcome>,
): Promise<Outcome> {
  const { userName, accessKeyId, secretAccessKey } = flags;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    return failed(`${complaint}: --access-key-id and --secret-access-key belong together: give both or none`);
  const key = accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey };
  const kernel = serverKernel(flags, { overrides: quietLog });
  await kernel.load();
  await kernel.prepare();
  await kernel.configure();
  if (kernel.config.show().some(({ key: name, value }) => name === 'auth.ui_config.rbac' && value === 'external'))
    return external(complaint);
  try {
    await kernel.start({ serve: false });
  } catch (error) {
    return failed(`Failed to setup DB: ${messageOf(error)}`);
  }
  try {
    return await work(administration(kernel), userName, key);
  } catch (error) {
    return failed(`${complaint}: ${messageOf(error)}`);
  } finally {
    await kernel.stop();
  }
}

/** Users are kept elsewhere: nothing to set up here, and nobody to add. */
function external(complaint: string): Outcome {
  return complaint === 'Setup failed'
    ? { text: '', exitCode: 0 }
    : failed("Can't create additional admin while using external auth API - auth.api.endpoint is configured.");
}

function administration({ services }: Kernel): Administration {
  const auth = (services as { find(name: string): unknown }).find('auth') as Administration | undefined;
  if (!auth) throw new Error('no enabled plugin keeps users; enable auth');
  return auth;
}

function credentials({ accessKeyId, secretAccessKey }: AccessKey): Outcome {
  return { text: `credentials:\n  access_key_id: ${accessKeyId}\n  secret_access_key: ${secretAccessKey}`, exitCode: 0 };
}
