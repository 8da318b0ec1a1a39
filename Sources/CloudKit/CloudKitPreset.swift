/// Apple's CloudKit Web Services as a source.
public enum CloudKitPreset {}
