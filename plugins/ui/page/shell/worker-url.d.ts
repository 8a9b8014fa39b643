declare module '*?worker&url' {
  /** Address of the worker's module. */
  const url: string;
  export default url;
}
