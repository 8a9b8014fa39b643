/** Keys of the Hub API. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'huggingface',
  keys: {
    'features.huggingface': key.bool({ default: true, meaning: 'Serve the API of the Hugging Face Hub below /hf' }),
    'huggingface.namespace': key.text({
      default: 'srv',
      meaning: 'First part of the names of repositories there: <namespace>/zoo is the repository zoo',
    }),
    'huggingface.large_files': key.text({
      values: ['auto', 'inline', 'lfs'],
      default: 'auto',
      meaning:
        'How clients upload large and binary files: within the commit (inline), by LFS or Xet as the client prefers (lfs), or so only from huggingface_hub (auto)',
    }),
  },
  check: values =>
    /^[A-Za-z0-9][A-Za-z0-9-]{0,40}$/.test(values['huggingface.namespace'])
      ? []
      : [
          `huggingface.namespace: ${JSON.stringify(values['huggingface.namespace'])} is not allowed; allowed: letters, digits and dashes, not a dash first`,
        ],
});
