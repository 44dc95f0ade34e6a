//! The data caches of processors, to simulate and to compare sizes with.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// A processor whose caches are known, or can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cpu {
    /// This machine's
    Host,
    Zen2,
    Zen3,
    Zen4,
    Zen5,
}

/// One level of cache, as large as one core can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    pub bytes: u64,
    pub ways: u64,
    pub line_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caches {
    pub processor: String,
    pub l1d: Cache,
    pub l2: Cache,
    pub l3: Cache,
}

impl Cpu {
    pub fn caches(self) -> Result<Caches, String> {
        // AMD's published figures; the third level is what one complex of cores shares.
        let (name, l1d, l2, l3) = match self {
            Cpu::Host => return host(),
            Cpu::Zen2 => ("Zen 2", (32 * KIB, 8), (512 * KIB, 8), (16 * MIB, 16)),
            Cpu::Zen3 => ("Zen 3", (32 * KIB, 8), (512 * KIB, 8), (32 * MIB, 16)),
            Cpu::Zen4 => ("Zen 4", (32 * KIB, 8), (MIB, 8), (32 * MIB, 16)),
            Cpu::Zen5 => ("Zen 5", (48 * KIB, 12), (MIB, 16), (32 * MIB, 16)),
        };
        let cache = |(bytes, ways)| Cache {
            bytes,
            ways,
            line_bytes: 64,
        };
        Ok(Caches {
            processor: name.to_owned(),
            l1d: cache(l1d),
            l2: cache(l2),
            l3: cache(l3),
        })
    }
}

impl Cache {
    /// The nearest that a simulator takes, which wants a number of sets that is a power of two: as
    /// many bytes as possible below these.
    pub fn with_power_of_two_sets(self) -> Self {
        let sets = self.bytes / (self.ways * self.line_bytes);
        let sets = if sets.is_power_of_two() {
            sets
        } else {
            sets.next_power_of_two() / 2
        };
        Self {
            bytes: sets.max(1) * self.ways * self.line_bytes,
            ..self
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn host() -> Result<Caches, String> {
    use raw_cpuid::{CacheType, CpuId};

    let cpuid = CpuId::new();
    let parameters: Vec<_> = cpuid.get_cache_parameters().into_iter().flatten().collect();
    let level = |level: u8| {
        parameters
            .iter()
            .find(|cache| cache.level() == level && cache.cache_type() != CacheType::Instruction)
            .map(|cache| {
                let (ways, line_bytes) = (cache.associativity(), cache.coherency_line_size());
                Cache {
                    bytes: (cache.sets() * ways * line_bytes) as u64,
                    ways: ways as u64,
                    line_bytes: line_bytes as u64,
                }
            })
            .ok_or_else(|| {
                format!(
                    "not available here: the processor does not tell its level {level} cache; \
                name one with --cpu"
                )
            })
    };
    Ok(Caches {
        processor: cpuid.get_processor_brand_string().map_or_else(
            || "this machine".to_owned(),
            |brand| brand.as_str().trim().to_owned(),
        ),
        l1d: level(1)?,
        l2: level(2)?,
        l3: level(3)?,
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn host() -> Result<Caches, String> {
    Err(
        "not available here: caches are read by cpuid, which is of x86-64; name one with --cpu"
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulator_gets_a_power_of_two_sets() {
        let odd = Cache {
            bytes: 24 * MIB,
            ways: 16,
            line_bytes: 64,
        };
        assert_eq!(odd.with_power_of_two_sets().bytes, 16 * MIB);
        for cpu in [Cpu::Zen2, Cpu::Zen3, Cpu::Zen4, Cpu::Zen5] {
            let caches = cpu.caches().unwrap();
            for cache in [caches.l1d, caches.l2, caches.l3] {
                assert_eq!(cache.with_power_of_two_sets(), cache);
            }
        }
    }
}
