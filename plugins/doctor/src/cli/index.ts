/** The command of the plugin. */
import { definePlugin } from '@srv/kernel';
import { doctor } from './doctor.js';

export default definePlugin({
  name: 'doctor',
  apply: ({ hooks }) => hooks.commands.tap('doctor', registry => registry.add(doctor, 'doctor')),
});
