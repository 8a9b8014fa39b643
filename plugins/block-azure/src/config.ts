/** Keys of the block store in Azure Blob Storage. */
import { defineConfig, key } from '@srv/kernel';

/** Domain of the China cloud, which the deprecated `china_cloud` selects. */
export const chinaDomain = 'blob.core.chinacloudapi.cn';

const domains: readonly string[] = ['blob.core.windows.net', chinaDomain, 'blob.core.usgovcloudapi.net'];
/** Accepted, not advertised: the host names of test namespaces. */
const testDomain = 'azurite.test';

export const blockAzureConfig = defineConfig({
  plugin: 'block-azure',
  keys: {
    'blockstore.azure.storage_account': key.text({ meaning: 'Storage account' }),
    'blockstore.azure.storage_access_key': key.text({ secret: true, meaning: 'Storage access key' }),
    'blockstore.azure.pre_signed_expiry': key.duration({ default: '15m', meaning: 'Pre-signed URL expiry' }),
    'blockstore.azure.disable_pre_signed': key.bool({ default: false, meaning: 'Disable pre-signed URLs' }),
    'blockstore.azure.disable_pre_signed_ui': key.bool({ default: true, meaning: 'Disable pre-signed URLs in the UI' }),
    'blockstore.azure.vended_credentials': key.bool({
      default: false,
      meaning: 'Clients get shared access signatures for the files of one table; only of accounts with a hierarchical namespace',
    }),
    'blockstore.azure.china_cloud': key.bool({
      default: false,
      meaning: 'Use the China cloud; deprecated, use blockstore.azure.domain',
    }),
    'blockstore.azure.domain': key.text({
      default: 'blob.core.windows.net',
      meaning: 'Cloud domain; supported others (beta): `blob.core.chinacloudapi.cn`, `blob.core.usgovcloudapi.net`',
    }),
    'blockstore.azure.try_timeout': key.timer({
      default: '10m',
      meaning: 'How long a request may take until its answer begins',
    }),
    'blockstore.azure.test_endpoint_url': key.text({
      meaning: 'URL of an emulator with the account at its end, such as http://127.0.0.1:10000/devstoreaccount1; for tests',
    }),
  },
  check(values) {
    const problems: string[] = [];
    const domain = values['blockstore.azure.domain'];
    if (![...domains, testDomain].includes(domain))
      problems.push(`blockstore.azure.domain: ${domain}: invalid Azure Domain; choose one of ${domains.join(', ')}`);
    if (values['blockstore.azure.storage_access_key'] && !values['blockstore.azure.storage_account'])
      problems.push('blockstore.azure.storage_access_key: is set without blockstore.azure.storage_account; name the account it belongs to');
    return problems;
  },
});

export default blockAzureConfig;
