/** What plugins that know users are written with. */
export * from './access-keys.js';
export * from './end-logins.js';
export * from './identity.js';
export * from './installation-id.js';
export * from './login-limits.js';
export * from './names.js';
export * from './pending-groups.js';
export * from './policy/evaluate.js';
export * from './policy/explain.js';
export * from './policy/model.js';
export * from './policy/presets.js';
export * from './policy/validate.js';
export * from './purpose-token.js';
export * from './sessions.js';
export * from './sign-ins.js';
export * from './token.js';
export type * from './user-directory.js';
