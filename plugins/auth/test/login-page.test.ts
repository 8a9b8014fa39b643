import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startSrv } from '@srv/test-servers';

it('informs login pages of helper pages of the operator', async t => {
  const shown = async (config: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const srv = await startSrv({ config });
    t.after(() => srv.stop());
    const state = (await (await fetch(`${srv.url}/api/v1/setup_lakefs`)).json()) as { login_config: Record<string, unknown> };
    return state.login_config;
  };
  assert.deepEqual(await shown({}), {
    RBAC: 'none',
    login_url: '',
    login_url_method: 'none',
    login_failed_message: "The credentials don't match.",
    login_cookie_names: ['access_token'],
    logout_url: '/logout',
  });
  const own = await shown({
    'auth.ui_config.login_url': 'https://sso.example/in',
    'auth.ui_config.logout_url': 'https://sso.example/out',
    'auth.ui_config.login_failed_message': 'Try again.',
    'auth.ui_config.fallback_login_url': '/auth/login',
    'auth.ui_config.fallback_login_label': 'With an access key',
    'auth.ui_config.login_cookie_names': 'access_token,saml_auth_session',
    'auth.ui_config.use_login_placeholders': true,
  });
  assert.deepEqual(own, {
    RBAC: 'none',
    username_ui_placeholder: 'Username',
    password_ui_placeholder: 'Password',
    login_url: 'https://sso.example/in',
    login_url_method: 'none',
    login_failed_message: 'Try again.',
    fallback_login_url: '/auth/login',
    fallback_login_label: 'With an access key',
    login_cookie_names: ['access_token', 'saml_auth_session'],
    logout_url: 'https://sso.example/out',
  });
});
