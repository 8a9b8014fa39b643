/** The plugin: sends mail, and knows users by address and password. */
import { definePlugin } from '@srv/kernel';
import section from '../config.js';
import operations from '../operations.js';
import { withPage } from './messages.js';
import { addPages } from './pages.js';
import { PasswordAccounts } from './password-accounts.js';
import { Passwords } from './passwords.js';
import type { Server } from '@hapi/hapi';
import type {} from '@srv/auth/contract';
import type { PluginKernel } from '@srv/kernel';
import type {} from '../contract.js';
import type { Mailer } from './mailer.js';

export default definePlugin({
  name: 'email',
  apply(kernel) {
    const { hooks } = kernel;
    let running: Running | undefined;
    hooks.signIn.tap('email', add => {
      if (running?.signIn) add(running.signIn);
    });
    hooks.operations.tap('email', table => table.add('email', operations));
    hooks.start.tapPromise('email', async () => {
      running = await start(kernel);
    });
    hooks.routes.tapPromise('email', async server => {
      const passwords = kernel.services.find('passwords');
      // The framework is the listener's; its plugin is above this one.
      if (passwords) addPages(server as Server, passwords, kernel.config.values(section.keys)['email.srv_base_url']);
    });
    hooks.stop.tapPromise('email', async () => running?.close());
  },
});

interface Running {
  readonly signIn?: PasswordAccounts;
  close(): Promise<void>;
}

async function start(kernel: PluginKernel): Promise<Running> {
  const { hooks, services, log } = kernel;
  const config = kernel.config.values(section.keys);
  const [auth, accounts] = [services.find('auth'), services.find('accounts')];
  const mailer = await openMailer(config);
  if (mailer) hooks.email.tapPromise('email', message => mailer.send(withPage(message, config['email.srv_base_url'])));
  // Users of another kind have no accounts here; mail of other plugins is sent all the same.
  if (!auth || !accounts) return { close: async () => mailer?.close() };
  const passwords = new Passwords();
  const people = new PasswordAccounts({
    auth,
    accounts,
    passwords,
    send: message => hooks.email.promise(message),
    baseUrl: config['email.srv_base_url'],
    log,
  });
  // Another plugin may send the mail: it has tapped the hook when it was applied.
  if (mailer || hooks.email.taps.length > 0) {
    services.provide('invitations', people);
    services.provide('passwords', people);
  }
  return {
    // Existing passwords keep working while mail is disabled.
    signIn: people,
    async close() {
      await people.drain();
      await passwords.close();
      mailer?.close();
    },
  };
}

type Values = ReturnType<typeof valuesOf>;
const valuesOf = (kernel: PluginKernel) => kernel.config.values(section.keys);

async function openMailer(config: Values): Promise<Mailer | undefined> {
  const { 'email.smtp_host': host, 'email.username': user, 'email.password': pass, 'email.sender': sender } = config;
  if (!host) return undefined;
  const { Mailer } = await import('./mailer.js');
  return new Mailer({
    host,
    port: config['email.smtp_port'],
    ssl: config['email.use_ssl'],
    account: user && pass ? { user, pass } : undefined,
    localName: config['email.local_name'] || 'localhost',
    sender: sender ?? '',
    every: config['email.limit_every_duration'],
    burst: config['email.burst'],
  });
}
