/** Keys of the Hub API. */
import { defineConfig, key } from '@srv/kernel';
import { isNamespace } from './server/namespace.js';

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
    isNamespace(values['huggingface.namespace'].toLowerCase())
      ? []
      : [
          `huggingface.namespace: ${JSON.stringify(values['huggingface.namespace'])} is not allowed; allowed: up to 41 letters, digits and single dashes, not a dash at either end, and not models, datasets, spaces, api, xet or lfs-upload`,
        ],
});
