/** Keys of the metrics page. */
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'metrics',
  keys: {
    'metrics.token': key.text({
      secret: true,
      meaning: 'When set, GET /metrics answers only to Authorization: Bearer <token>',
    }),
  },
});
