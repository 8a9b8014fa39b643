/** Keys of the built-in authentication and authorization. */
import { defineConfig, key } from '@srv/kernel';

/** Milliseconds: expiries are whole seconds, and a token of less is expired when it is issued. */
const shortestToken = 1000;

export default defineConfig({
  plugin: 'auth',
  keys: {
    'auth.login_duration': key.duration({ default: '168h', min: shortestToken, meaning: 'Validity of the login token' }),
    'auth.login_max_duration': key.duration({
      default: '168h',
      min: shortestToken,
      meaning: 'Max duration a user may request for a login token',
    }),
    'auth.cookie_domain': key.text({
      default: '',
      defaultText: 'empty',
      meaning: 'Domain attribute of the session cookie; empty means the host that sets it',
    }),
    'auth.ui_config.use_login_placeholders': key.bool({
      default: false,
      meaning: 'Login page shows placeholders for Access Key ID and Secret Access Key',
    }),
    'auth.logout_redirect_url': key.text({ default: '/auth/login', meaning: 'Where `/logout` redirects the browser' }),
    'auth.ui_config.login_url': key.text({
      meaning: 'Where web pages send people to log in; unset: the login page of this server',
    }),
    'auth.ui_config.login_failed_message': key.text({
      default: "The credentials don't match.",
      meaning: 'Message of the login page after a failed attempt',
    }),
    'auth.ui_config.fallback_login_url': key.text({ meaning: 'URL of another login page' }),
    'auth.ui_config.fallback_login_label': key.text({ meaning: 'Label of the link to it' }),
    'auth.ui_config.login_cookie_names': key.list({
      default: ['access_token'],
      meaning: 'Cookies that web pages treat as a session',
    }),
    'auth.ui_config.logout_url': key.text({ meaning: 'Where web pages send people to log out; unset: `/logout`' }),
    'auth.cache.enabled': key.bool({ default: true, meaning: 'Cache credentials and policies in memory' }),
    'auth.cache.size': key.int({ min: 1, default: 1024, meaning: 'Cached items (about 1 KB of memory per cached user)' }),
    'auth.cache.ttl': key.duration({
      default: '20s',
      meaning: 'Item lifetime; higher values delay the effect of changes made through other servers',
    }),
    'auth.cache.jitter': key.duration({ default: '3s', meaning: 'Random 0..value added to each TTL' }),
    'auth.encrypt.secret_key': key.text({
      required: true,
      secret: true,
      meaning: 'Cryptographically random string for encryption and HMAC signing; keep in a secrets manager and provide at run time',
    }),
    'installation.user_name': key.text({
      meaning:
        'Creates an initial admin user on first run; works only when database.type is `local`; requires installation.access_key_id and installation.secret_access_key',
    }),
    'installation.access_key_id': key.text({ meaning: 'Initial admin access key ID (used once)' }),
    'installation.secret_access_key': key.text({ secret: true, meaning: 'Initial admin secret access key (used once)' }),
  },
});
