/** Keys of mail. Without a host the feature is off. */
import { defineConfig, isHttpAddress, key, withoutPassword } from '@srv/kernel';
import { parseAddress } from './address.js';

const atRunTime = '(should be supplied at run time from a secrets manager)';

export default defineConfig({
  plugin: 'email',
  keys: {
    'email.smtp_host': key.text({ meaning: 'SMTP host; without one the server sends no mail' }),
    'email.smtp_port': key.int({
      min: 1,
      max: 65535,
      meaning: 'SMTP port (465, 587, 993, 25 are standard); unset: 465 with SSL, else 587',
    }),
    'email.use_ssl': key.bool({ default: false, meaning: 'Use an SSL connection from the start; else STARTTLS where the host offers it' }),
    'email.username': key.text({ meaning: `SMTP account user name ${atRunTime}` }),
    'email.password': key.text({ secret: true, meaning: `SMTP account password ${atRunTime}` }),
    'email.local_name': key.text({ meaning: 'Host name sent with HELO; `localhost` when unset' }),
    'email.sender': key.text({ meaning: 'Sender e-mail account' }),
    'email.limit_every_duration': key.duration({ default: '1m', meaning: 'Average time between e-mails; 0 means no limit' }),
    'email.burst': key.int({ min: 0, default: 10, meaning: 'Max burst before limiting applies; 0 means no e-mail can be sent' }),
    'email.srv_base_url': key.text({
      default: 'http://localhost:8000',
      meaning: 'Base server address placed in e-mails (invitations, resets)',
    }),
  },
  check(values) {
    if (!values['email.smtp_host']) return [];
    const { 'email.sender': sender, 'email.srv_base_url': base, 'email.username': username, 'email.password': password } = values;
    return [
      ...(sender && parseAddress(sender)
        ? []
        : [`email.sender: ${JSON.stringify(sender ?? '')} is not an e-mail address; email.smtp_host is set, so mail needs a sender`]),
      ...(isHttpAddress(base)
        ? []
        : [
            `email.srv_base_url: ${JSON.stringify(withoutPassword(base))} is not an http:// or https:// address without user and password; links in e-mails begin with it`,
          ]),
      ...(!username === !password ? [] : ['email.username and email.password belong together: set both, or neither']),
    ];
  },
});
