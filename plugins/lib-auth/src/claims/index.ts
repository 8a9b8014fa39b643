/** Users known by the claims of identity providers. */
export * from './claim-rules.js';
export * from './claimed-users.js';
export * from './login-attempt.js';
