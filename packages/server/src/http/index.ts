export { type App, type AppOptions, makeApp } from './app.ts';
export { isLoopback } from './entrance.ts';
export { type ConnectionLimits, type Listening, type ListenOptions, listen } from './listen.ts';
export { type SocketPlace, socketPathOf } from './unix-socket.ts';
