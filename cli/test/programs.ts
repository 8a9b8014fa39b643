/** The programs and terminals of these tests. */
export * from '@srv/test-servers/programs';
