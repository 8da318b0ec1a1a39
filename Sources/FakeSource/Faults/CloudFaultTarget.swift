/// Which records of an answer get the error of a fault.
enum CloudFaultTarget {
    case name(String)
    /// Every so many records of a reply.
    case every(Int)
}
