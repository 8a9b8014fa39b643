import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'actions',
  keys: {
    'actions.enabled': key.bool({ default: true, meaning: 'When false, hooks are blocked from executing' }),
    'actions.env.enabled': key.bool({
      default: true,
      meaning: 'Environment variables are accessible by hooks; when disabled their values evaluate to empty strings',
    }),
    'actions.env.prefix': key.text({
      default: 'SRVACTION_',
      meaning: 'Only variables with this prefix are accessible; with env enabled and no prefix, all are accessible',
    }),
    // Beyond what other installations know: described in the README.
    'actions.runs.retention': key.duration({
      default: '0s',
      meaning: 'Runs that started longer ago are deleted with their outputs, once a day; 0 keeps them for ever',
    }),
    'actions.runs.concurrency': key.int({ default: 16, min: 1, meaning: '`post-` events whose hooks run at the same time' }),
    'actions.runs.drain_timeout': key.timer({
      default: '20s',
      meaning: 'Time that running hooks have to end when the server stops; what is not done then is stopped and reported as failed',
    }),
  },
});
