//! Which IP addresses are for the public. Sources: the IANA special-purpose registries for IPv4
//! and IPv6, and the metadata addresses of clouds that use public ranges.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ranges of IPv4 that no public site has: network, prefix length.
const CLOSED_V4: [(Ipv4Addr, u32); 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),          // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),         // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),      // shared by carriers; also a cloud's metadata
    (Ipv4Addr::new(127, 0, 0, 0), 8),        // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32),   // Azure's wire server, at a public address
    (Ipv4Addr::new(169, 254, 0, 0), 16),     // link-local; metadata of most clouds
    (Ipv4Addr::new(172, 16, 0, 0), 12),      // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),       // IETF protocols; a cloud's metadata
    (Ipv4Addr::new(192, 0, 2, 0), 24),       // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),     // 6to4 relays, withdrawn
    (Ipv4Addr::new(192, 168, 0, 0), 16),     // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),      // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),    // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),     // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),        // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),        // reserved
    (Ipv4Addr::new(255, 255, 255, 255), 32), // broadcast
];

/// Ranges inside 2000::/3 that no public site has.
const CLOSED_V6: [(Ipv6Addr, u32); 3] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // IETF protocols: Teredo, ORCHID, benchmarks
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// May a stranger be sent there?
pub(super) fn is_global(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_global_v4(ip),
        IpAddr::V6(ip) => is_global_v6(ip),
    }
}

fn is_global_v4(ip: Ipv4Addr) -> bool {
    !CLOSED_V4.iter().any(|(network, length)| {
        let shift = 32 - length;
        ip.to_bits() >> shift == network.to_bits() >> shift
    })
}

/// Only 2000::/3 is global unicast; outside of it, only the forms that stand for an IPv4 address.
fn is_global_v6(ip: Ipv6Addr) -> bool {
    if let Some(inner) = embedded_v4(ip) {
        return is_global_v4(inner);
    }
    ip.to_bits() >> 125 == 0b001
        && !CLOSED_V6.iter().any(|(network, length)| {
            let shift = 128 - length;
            ip.to_bits() >> shift == network.to_bits() >> shift
        })
}

/// The IPv4 address behind an IPv4-mapped, NAT64 (well-known prefix) or 6to4 address: packets
/// end there, so that is the address to judge.
fn embedded_v4(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let low = Ipv4Addr::from_bits(ip.to_bits() as u32);
    match ip.segments() {
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => Some(low),
        [0x2002, high, next, ..] => {
            Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(next)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn verdict(text: &str) -> bool {
        is_global(text.parse().unwrap())
    }

    #[test]
    fn every_closed_range_is_closed_to_its_last_address_and_open_beside_it() {
        for (network, length) in CLOSED_V4 {
            let first = network.to_bits();
            let last = first | u32::MAX.checked_shr(length).unwrap_or(0);
            assert!(!is_global_v4(network), "{network}");
            assert!(
                !is_global_v4(Ipv4Addr::from_bits(last)),
                "{network}/{length}"
            );
        }
        for open in [
            "1.0.0.0",
            "9.255.255.255",
            "168.63.129.15",
            "192.0.1.0",
            "223.255.255.255",
        ] {
            assert!(verdict(open), "{open}");
        }
    }

    #[test]
    fn a_form_of_an_ipv4_address_is_judged_by_it() {
        assert!(verdict("::ffff:8.8.8.8"));
        assert!(verdict("64:ff9b::8.8.8.8"));
        assert!(verdict("2002:808:808::1"));
        assert!(!verdict("::ffff:10.0.0.1"));
        assert!(!verdict("64:ff9b::192.168.1.1"));
        assert!(!verdict("2002:a00:1::1"));
    }

    #[test]
    fn only_global_unicast_is_open_in_ipv6() {
        assert!(verdict("2a00:1450:4001::1"));
        for closed in [
            "::",
            "::1",
            "::8.8.8.8",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "4000::1",
        ] {
            assert!(!verdict(closed), "{closed}");
        }
    }
}
