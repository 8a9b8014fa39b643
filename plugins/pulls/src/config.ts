import { defineConfig, isHttpAddress, key } from '@srv/kernel';

const isInformed = ({ get }: { get(name: string): unknown }): boolean => Boolean(get('pulls.notices.webhook_url'));

export default defineConfig({
  plugin: 'pulls',
  keys: {
    'pulls.notices.email': key.bool({
      default: false,
      meaning: 'Send mail about pull requests to their authors, reviewers and participants; needs mail, and counts against its limits',
    }),
    'pulls.notices.webhook_url': key.text({
      meaning: 'Address of a server that gets notices about pull requests, with the users whom they concern, to hand them on',
    }),
    'pulls.notices.webhook_secret': key.text({
      secret: true,
      required: isInformed,
      defaultText: '-',
      meaning: 'Key of the signature of these notices: `X-Srv-Signature: sha256=<HMAC-SHA256 of the body in hexadecimal>`',
    }),
    'pulls.notices.webhook_timeout': key.timer({ default: '10s', meaning: 'Longest wait for a response to one attempt' }),
  },
  check({ 'pulls.notices.webhook_url': url }) {
    if (!url || isHttpAddress(url)) return [];
    // It may hold a token.
    return ['pulls.notices.webhook_url: the value is not an http:// or https:// address without user and password'];
  },
});
