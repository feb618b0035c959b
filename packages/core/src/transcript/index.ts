export { decoderOf, type PayloadSource, type TranscriptEntry, transcribe } from './transcript.ts';
