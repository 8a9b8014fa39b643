/** Keys of notices. */
import { defineConfig, isHttpAddress, key } from '@srv/kernel';

const audit = 'security.audit_check_url';
const latest = 'security.latest_version_url';

export default defineConfig({
  plugin: 'notices',
  keys: {
    'security.audit_check_interval': key.timer({ default: '24h', min: 1000, meaning: 'Interval of the security audit check; at least 1s' }),
    [audit]: key.text({ default: '', meaning: 'URL that knows security alerts of releases; empty: no requests' }),
    'security.check_latest_version': key.bool({
      default: true,
      meaning: 'Check for newer releases if security.latest_version_url is set',
    }),
    'security.check_latest_version_cache': key.timer({
      default: '1h',
      min: 1000,
      meaning: 'Time between two checks for newer releases; at least 1s',
    }),
    [latest]: key.text({ default: '', meaning: 'URL that describes the newest release; empty: no requests' }),
  },
  check: values =>
    [audit, latest].flatMap(name => {
      const address: unknown = Reflect.get(values, name);
      return address === '' || isHttpAddress(String(address))
        ? []
        : [`${name}: the value is not an address; write http://… or https://…, without user and password`];
    }),
});
