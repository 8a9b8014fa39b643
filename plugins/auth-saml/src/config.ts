/** Keys of the login at a SAML provider: where it is, what proves its answers, what is taken from them. */
import { defineConfig, isHttpAddress, key, withoutPassword } from '@srv/kernel';
import { isSafeAddress } from '@srv/lib-auth/provider-address';

const isOn = ({ get }: { get(name: string): unknown }): boolean => Boolean(get('auth.saml.entry_point'));
const needed = { required: isOn, defaultText: '-' } as const;
const first = 'Of several, the first that is there';

export default defineConfig({
  plugin: 'auth-saml',
  keys: {
    'auth.saml.entry_point': key.text({
      meaning: 'Address of the login page of the provider (HTTP-Redirect); with it, people log in there',
    }),
    'auth.saml.idp_issuer': key.text({ ...needed, meaning: 'Entity ID of the provider: who must have issued assertions' }),
    'auth.saml.idp_certificate_file': key.path({
      ...needed,
      meaning: 'Certificates of the provider, as PEM: one of them must have signed an assertion. Read at the start',
    }),
    'auth.saml.callback_base_url': key.text({
      ...needed,
      meaning: 'Address of this server for browsers; the provider sends assertions to `<it>/saml/acs`',
    }),
    'auth.saml.entity_id': key.text({
      defaultText: '`<callback_base_url>/saml/metadata`',
      meaning: 'Entity ID of this server: the audience that assertions must name',
    }),
    'auth.saml.id_attribute': key.text({ meaning: "Attribute used as the user's ID; unset: the NameID, which must not be transient" }),
    'auth.saml.validate_attributes': key.map({ meaning: 'Assertions must contain these attributes with these values' }),
    'auth.saml.friendly_name_attribute': key.list({ default: [], meaning: `Attribute used as the user's display name. ${first}` }),
    'auth.saml.persist_friendly_name': key.bool({ default: false, meaning: 'Store the display name, for the list of users' }),
    'auth.saml.email_attribute': key.list({ default: [], meaning: `Attribute with the e-mail address of new users. ${first}` }),
    'auth.saml.initial_groups_attribute': key.list({
      default: [],
      meaning: `Attribute with the groups of new users; takes priority over default_initial_groups. ${first}`,
    }),
    'auth.saml.default_initial_groups': key.list({ default: [], meaning: 'Groups assigned to new users' }),
    'auth.saml.sync_groups': key.bool({
      default: false,
      meaning: 'At every login, make the user a member of exactly the groups in initial_groups_attribute',
    }),
    'auth.saml.clock_skew': key.duration({ default: '30s', meaning: 'By how much the clock of the provider may differ' }),
    'auth.saml.installed_in': key.path({
      meaning: 'Folder in which @node-saml/node-saml was installed (it has node_modules); default: where srv is installed',
    }),
  },
  check(values) {
    const { 'auth.saml.entry_point': entry, 'auth.saml.callback_base_url': base } = values;
    if (!entry) return [];
    return [
      ...(isSafeAddress(entry)
        ? []
        : [
            `auth.saml.entry_point: ${JSON.stringify(withoutPassword(entry))} is not an https:// address (http:// only on this machine) without user and password`,
          ]),
      ...(base && !isHttpAddress(base)
        ? [
            `auth.saml.callback_base_url: ${JSON.stringify(withoutPassword(base))} is not an http:// or https:// address without user and password`,
          ]
        : []),
      ...(values['auth.saml.sync_groups'] && values['auth.saml.initial_groups_attribute'].length === 0
        ? ['auth.saml.sync_groups: needs auth.saml.initial_groups_attribute']
        : []),
      ...(values['auth.saml.clock_skew'] > 300_000 ? ['auth.saml.clock_skew: at most 5m; set the clocks'] : []),
    ];
  },
});
