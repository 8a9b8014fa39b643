/** What the operator reads when the server does not start. */
import { isSrvError, messageOf } from '@srv/kernel';
import { reasonOf } from '@srv/lib-commands';

interface SystemFault {
  readonly code?: unknown;
  readonly address?: string;
  readonly port?: number;
}

const systemFaults: Readonly<Record<string, (fault: SystemFault) => string>> = {
  EADDRINUSE: ({ address, port }) =>
    `listen_address ${place(address, port)}: the port is in use; stop the other program or choose another address (SRV_LISTEN_ADDRESS)`,
  EADDRNOTAVAIL: ({ address, port }) =>
    `listen_address ${place(address, port)}: this machine has no such address; choose another (SRV_LISTEN_ADDRESS)`,
};

const nothingChosen = 'database.type: missing required key';
const withoutConfiguration =
  'To start without a configuration: srv run --local-settings (an embedded database and a local folder, in ~/srv)';

/** One line, or the list of configuration problems; never a stack. */
export function failureText(error: unknown): string {
  return `srv: ${failureReason(error)}`;
}

/** The same, without the name of the program. */
export function failureReason(error: unknown): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const fault = cause as SystemFault;
    const describe = typeof fault.code === 'string' ? systemFaults[fault.code] : undefined;
    if (describe) return describe(fault);
  }
  // Of files that the operator named: what they hold and where they lie is not our fault.
  const isExpected = isSrvError(error) || reasonOf(error) !== messageOf(error);
  const reason = `${isExpected ? '' : 'internal fault: '}${reasonOf(error)}`;
  return isSrvError(error, 'config') && reason.includes(nothingChosen) ? `${reason}\n${withoutConfiguration}` : reason;
}

function place(address = '', port = 0): string {
  return `${address}:${port}`;
}
