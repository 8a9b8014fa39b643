/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { awsIamCommands } from './aws-iam.js';

export default definePlugin({
  name: 'auth-principals',
  apply({ hooks }) {
    hooks.commands.tap('auth-principals', registry => {
      for (const command of awsIamCommands) registry.add(command, 'auth-principals');
    });
  },
});
