/** Sets a member of an object that names of users make up: `__proto__` is a name like any other. */
export function setMember<T>(target: Record<string, T>, name: string, value: T): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
