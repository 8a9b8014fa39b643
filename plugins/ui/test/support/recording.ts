/** A short video, made by the browser. */

/** As far as it is used; tests are compiled without the types of browsers. */
interface Browser {
  readonly document: { createElement(name: 'canvas'): Canvas };
  readonly MediaRecorder: new (
    stream: unknown,
    options: { readonly mimeType: string },
  ) => { start(): void; stop(): void; ondataavailable: (event: { readonly data: Blob }) => void };
}

interface Canvas {
  width: number;
  height: number;
  getContext(kind: '2d'): { fillStyle: string; fillRect(x: number, y: number, width: number, height: number): void };
  captureStream(framesPerSecond: number): unknown;
}

/** Runs in the browser. @returns WebM of 64 by 48 points, in base64. */
export async function record(): Promise<string> {
  const { document, MediaRecorder } = globalThis as unknown as Browser;
  const canvas = document.createElement('canvas');
  canvas.width = 64;
  canvas.height = 48;
  const context = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' });
  const recorded = new Promise<Blob>(resolve => {
    recorder.ondataavailable = ({ data }) => resolve(data);
  });
  recorder.start();
  for (let frame = 0; frame < 20; frame++) {
    context.fillStyle = frame % 2 === 0 ? 'red' : 'blue';
    context.fillRect(0, 0, 64, 48);
    await new Promise(resolve => setTimeout(resolve, 40));
  }
  recorder.stop();
  const bytes = new Uint8Array(await (await recorded).arrayBuffer());
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}
