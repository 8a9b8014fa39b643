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
  },
  check: values =>
    /^[A-Za-z0-9][A-Za-z0-9-]{0,40}$/.test(values['huggingface.namespace'])
      ? []
      : [
          `huggingface.namespace: ${JSON.stringify(values['huggingface.namespace'])} is not allowed; allowed: letters, digits and dashes, not a dash first`,
        ],
});
