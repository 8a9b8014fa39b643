/** Runs the test files that are named in one process. */
for (const file of process.argv.slice(2)) await import(file);
