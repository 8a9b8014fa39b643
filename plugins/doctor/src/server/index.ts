/** The plugin: adds the command of the server program. */
import { definePlugin } from '@srv/kernel';
import { doctor } from './doctor.js';

export default definePlugin({
  name: 'doctor',
  apply: ({ hooks }) => hooks.serverCommands.tap('doctor', registry => registry.add(doctor, 'doctor')),
});
