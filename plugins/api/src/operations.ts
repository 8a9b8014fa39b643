/** The operations this plugin adds: those of the engine. */
export { default } from '@srv/engine/operations';
