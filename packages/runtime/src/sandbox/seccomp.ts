/**
 * A system call filter (classic BPF, as `bwrap --seccomp` takes it) against what namespaces do not cover.
 *
 * 1. Sockets only of the families that the network namespace isolates: AF_VSOCK, for one, reaches the machine's host.
 * 2. No kernel keyrings: a command would inherit the person's session keyring.
 * 3. No io_uring (it opens sockets past rule 1), no bpf, perf_event_open or userfaultfd.
 * 4. No calls by another architecture's numbers, which would pass by the rules above.
 */

interface Numbers {
  readonly auditArch: number;
  readonly socket: number;
  readonly denied: readonly number[];
  /** Numbers from here on are another ABI's (x32). */
  readonly firstForeign: number | null;
}

/** From the kernel's `syscall_64.tbl` and `asm-generic/unistd.h`, in the order keyrings, io_uring, the rest. */
const NUMBERS: Readonly<Record<string, Numbers>> = {
  x64: {
    auditArch: 0xc000003e,
    socket: 41,
    denied: [248, 249, 250, 425, 426, 427, 321, 298, 323],
    firstForeign: 0x40000000,
  },
  arm64: {
    auditArch: 0xc00000b7,
    socket: 198,
    denied: [217, 218, 219, 425, 426, 427, 280, 241, 282],
    firstForeign: null,
  },
};

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
/** Offsets in the kernel's `struct seccomp_data`; the low half of the first argument (both architectures are little-endian). */
const OFFSET = { number: 0, arch: 4, firstArgument: 16 };

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

/** The filter for a Node architecture (`process.arch`); null where we have no numbers for it. */
export function makeSystemCallFilter(arch: string): Buffer | null {
  const numbers = NUMBERS[arch];
  if (numbers === undefined) return null;
  const { firstForeign } = numbers;
  const deny: Instruction = [RETURN, 0, 0, ERRNO | ENOSYS];
  const program: Instruction[] = [
    [LOAD, 0, 0, OFFSET.arch],
    [JUMP_EQUAL, 1, 0, numbers.auditArch],
    deny,
    [LOAD, 0, 0, OFFSET.number],
    ...(firstForeign === null ? [] : ([[JUMP_AT_LEAST, 0, 1, firstForeign], deny] satisfies Instruction[])),
    ...numbers.denied.flatMap((number): Instruction[] => [[JUMP_EQUAL, 0, 1, number], deny]),
    [JUMP_EQUAL, 1, 0, numbers.socket],
    [RETURN, 0, 0, ALLOW],
    [LOAD, 0, 0, OFFSET.firstArgument],
    ...SOCKET_FAMILIES.flatMap((family): Instruction[] => [
      [JUMP_EQUAL, 0, 1, family],
      [RETURN, 0, 0, ALLOW],
    ]),
    [RETURN, 0, 0, ERRNO | EAFNOSUPPORT],
  ];
  return Buffer.concat(program.map(encodeInstruction));
}

function encodeInstruction([code, whenTrue, whenFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(whenTrue, 2);
  bytes.writeUInt8(whenFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
