/** `srv setup` and `srv superuser`: administrators made on the server's own machine, while no server runs on its database. */
import { messageOf } from '@srv/kernel';
import type { AccessKey } from '@srv/kernel';
import type { CommandInput, CommandOption, ServerCommand, ServerCommandContext } from '@srv/lib-commands';
import type { AuthService } from '../contract.js';

const options: readonly CommandOption[] = [
  { name: 'user-name', type: 'string', required: true, description: 'name of the administrator' },
  { name: 'access-key-id', type: 'string', description: 'access key ID; made up when absent' },
  { name: 'secret-access-key', type: 'string', description: 'secret access key; made up when absent' },
];
const noCheck: CommandOption = { name: 'no-check', type: 'bool', description: 'continue when the installation is set up already' };

/** What a command prints, and its exit code: scripts read both. */
interface Outcome {
  readonly text: string;
  readonly exitCode: number;
}

type Work = (auth: AuthService, username: string, key: AccessKey | undefined) => Promise<Outcome>;

const failed = (text: string): Outcome => ({ text, exitCode: 1 });

/** Makes the first administrator. */
export const setup: ServerCommand = {
  name: 'setup',
  aliases: ['init'],
  summary: 'Set up the installation: create the first administrator',
  options: [...options, { ...noCheck, hidden: true }],
  run: (context, input) =>
    administer(context, input, 'Setup failed', async (auth, username, key) => {
      const { initialized } = await auth.setupState();
      if (initialized && input.options['no-check'] !== true) return failed('Setup is already complete.');
      return credentials(await (initialized ? auth.createAdministrator(username, key) : auth.setup({ username, key })));
    }),
};

/** Creates another administrator; with only an access key ID, makes the user who has that key an administrator. */
export const superuser: ServerCommand = {
  name: 'superuser',
  summary: 'Create another administrator',
  options: [...options, noCheck],
  run(context, input) {
    const complaint = 'Failed to setup admin user';
    const { 'access-key-id': accessKeyId, 'secret-access-key': secretAccessKey, ...others } = input.options;
    if (typeof accessKeyId !== 'string' || secretAccessKey !== undefined)
      return administer(context, input, complaint, async (auth, username, key) =>
        credentials(await auth.createAdministrator(username, key)),
      );
    return administer(context, { ...input, options: others }, complaint, async (auth, username) => {
      await auth.promoteOwner(username, accessKeyId);
      return { text: `${username} is an administrator with the access key ${accessKeyId}.`, exitCode: 0 };
    });
  },
};

async function administer(context: ServerCommandContext, input: CommandInput, complaint: string, work: Work): Promise<number> {
  const { text, exitCode } = await outcomeOf(context, input, complaint, work);
  if (text !== '') context.print(text);
  return exitCode;
}

async function outcomeOf(context: ServerCommandContext, { options: given }: CommandInput, complaint: string, work: Work): Promise<Outcome> {
  const { 'user-name': userName, 'access-key-id': accessKeyId, 'secret-access-key': secretAccessKey } = given;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    return failed(`${complaint}: --access-key-id and --secret-access-key belong together: give both or none`);
  const key = typeof accessKeyId === 'string' && typeof secretAccessKey === 'string' ? { accessKeyId, secretAccessKey } : undefined;
  const kernel = await context.kernel();
  if (kernel.config.show().some(({ key: name, value }) => name === 'auth.ui_config.rbac' && value === 'external'))
    return external(complaint);
  try {
    await kernel.start({ serve: false });
  } catch (error) {
    return failed(`Failed to setup DB: ${messageOf(error)}`);
  }
  try {
    return await work(kernel.services.get('auth'), String(userName), key);
  } catch (error) {
    return failed(`${complaint}: ${messageOf(error)}`);
  } finally {
    await kernel.stop();
  }
}

/** Users are kept by another server: nothing to set up here, and no user to add. */
function external(complaint: string): Outcome {
  return complaint === 'Setup failed'
    ? { text: '', exitCode: 0 }
    : failed("Can't create additional admin while using external auth API - auth.api.endpoint is configured.");
}

function credentials({ accessKeyId, secretAccessKey }: AccessKey): Outcome {
  return { text: `credentials:\n  access_key_id: ${accessKeyId}\n  secret_access_key: ${secretAccessKey}`, exitCode: 0 };
}
