/** Stands beside `node_modules`, so that its imports find what is installed there. */
export const load = name => import(name);
export const resolve = name => import.meta.resolve(name);
