/** The AI SDK's provider interface, named from what `ai` exports, so that one package pins it. */
import type { LanguageModel } from 'ai';

export type SdkModel = Extract<LanguageModel, { specificationVersion: 'v4' }>;
export type SdkCall = Parameters<SdkModel['doStream']>[0];
export type SdkPrompt = SdkCall['prompt'];
export type SdkMessage = SdkPrompt[number];
export type SdkTool = NonNullable<SdkCall['tools']>[number];
type SdkStream = Awaited<ReturnType<SdkModel['doStream']>>['stream'];
export type SdkStreamPart = SdkStream extends ReadableStream<infer Part> ? Part : never;
export type SdkUsage = Extract<SdkStreamPart, { type: 'finish' }>['usage'];
export type SdkProviderOptions = NonNullable<SdkMessage['providerOptions']>;
