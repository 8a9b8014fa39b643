/** The terminal of these tests. */
export * from '@srv/test-servers/terminal';
