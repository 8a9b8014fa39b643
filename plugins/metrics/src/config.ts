/** Keys of the metrics page. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'metrics',
  keys: {
    'metrics.token': key.text({
      secret: true,
      meaning: 'If set, GET /metrics requires Authorization: Bearer <token>',
    }),
  },
});
