const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Ports of the default range that other software uses, by default or by registration with IANA. */
export const knownPorts: ReadonlyArray<number> = [
  // Usermin and DNP3, NFS mount, RustDesk, Starbound, Syncthing, a second SSH.
  20_000,
  20_048,
  21_025,
  ...range(21_115, 21_119),
  22_000,
  22_067,
  22_070,
  22_222,
  22_273,
  // Terraria and Armagetron servers, GlusterFS, Fluentd, binkp, Synergy.
  23_073,
  24_007,
  24_008,
  ...range(24_224, 24_231),
  24_444,
  24_554,
  24_800,
  // Minecraft and its console, RabbitMQ's cluster, collectd, Quake, CockroachDB, Redis Sentinel, Tendermint, 7 Days to Die.
  25_565,
  25_575,
  25_672,
  25_826,
  26_000,
  26_257,
  26_379,
  ...range(26_656, 26_660),
  ...range(26_900, 26_905),
  // Steam and Source servers, MongoDB, Quake, RethinkDB and Rust, Call of Duty, Kafka in containers, Gerrit.
  ...range(27_000, 27_050),
  27_374,
  27_500,
  27_910,
  ...range(27_960, 27_963),
  ...range(28_015, 28_017),
  28_082,
  28_852,
  28_960,
  29_015,
  29_070,
  29_092,
  29_418,
  29_900,
  29_901,
  29_920
]
